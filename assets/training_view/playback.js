// Time: which picture is shown, playing through them, following a live run.

const WHOLE = 8, LONGEST_SHOWN = 0.4, SMOOTH = 30;  // seconds for all pictures at 1x; at most for one of few; pictures a second

export class Playback {
  constructor() {
    this.at = -1;
    this.playing = false;
    this.speed = 1;
    this.follow = true;
    this.place = 0;
    this.last = 0;
  }

  // After a payload: stick to the newest picture, or stay where the person is.
  adapt(recording, fresh) {
    const end = recording.pictures - 1;
    if (fresh) { this.playing = false; this.follow = true; }
    if (end < 0) { this.at = -1; return; }
    if (this.follow || this.at < 0) { if (!this.playing) this.at = end; }
    this.at = Math.min(this.at, end);
  }

  // A person's move: ends the play, and leaves the newest picture or comes back to it.
  go(picture, recording) {
    const end = recording.pictures - 1;
    this.playing = false;
    this.at = Math.max(0, Math.min(end, picture));
    if (end < 0) this.at = -1;
    this.follow = this.at === end;
  }

  toggle(recording) {
    const end = recording.pictures - 1;
    if (end < 1) return;
    this.playing = !this.playing;
    if (!this.playing) { this.follow = this.at === end; return; }
    if (this.at === end) this.at = 0;
    this.follow = false;
    this.place = this.at;
    this.last = 0;
  }

  // Called at each animation frame while playing.
  tick(now, recording) {
    const end = recording.pictures - 1;
    const rate = Math.max((end + 1) / WHOLE, 1 / LONGEST_SHOWN) * this.speed;
    // A slow machine, or a window that was hidden, plays slower rather than leave pictures out.
    const passed = this.last ? Math.min((now - this.last) / 1000 * rate, Math.max(1, rate / SMOOTH)) : 0;
    this.last = now;
    this.place = Math.min(end, this.place + passed);
    this.at = Math.floor(this.place);
    if (this.at >= end) { this.playing = false; this.follow = true; }
  }
}
