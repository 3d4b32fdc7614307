// Step by step: the vectors of several bodies, positions across and layers upwards, filled as time goes.
// Every vector stands there from the start, hollow; it fills at the first step at which all that it reads is there.

const PACE = 320; // milliseconds a step

export default function stepsView({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".steps-view");
  if (root.shown !== data) {
    const had = root.view;
    const plan = JSON.parse(data);
    const same = had && JSON.stringify(had.plan.bodies) === JSON.stringify(plan.bodies);
    root.shown = data;
    if (same) {
      if (plan.tick !== had.sent) { had.stop(); had.go(plan.tick); }
      had.sent = plan.tick;
    } else {
      had?.stop();
      root.view = new View(root, plan);
    }
  }
  root.view.tell = (tick) => { root.view.sent = tick; setStateValue("tick", tick); };
  return () => root.view?.stop();
}

class View {
  constructor(root, plan) {
    Object.assign(this, { root, plan, tick: 0, sent: plan.tick, timer: 0, tell: () => {} });
    this.build();
    this.go(plan.tick);
  }

  build() {
    const { plan } = this;
    this.back = button("Back", () => this.move(this.tick - 1));
    this.playing = button("Play", () => this.toggle());
    this.next = button("Step", () => this.move(this.tick + 1));
    this.clock = make("input", { type: "range", min: 0, max: plan.end, step: 1, className: "clock" });
    this.clock.setAttribute("aria-label", "Step");
    this.clock.oninput = () => { this.stop(); this.go(+this.clock.value); };
    this.clock.onchange = () => this.tell(this.tick);
    this.said = make("span", { className: "said" });
    this.said.setAttribute("role", "status");
    const bar = make("div", { className: "bar" }, this.back, this.playing, this.next, this.clock, this.said);
    this.bodies = plan.bodies.map((body) => this.body(body));
    const key = make("p", { className: "key" },
      make("span", {}, make("i", { className: "cell" }), "waits"),
      make("span", {}, make("i", { className: "cell now" }), "computed in this step"),
      make("span", {}, make("i", { className: "cell done" }), "there"),
      make("span", {}, make("i", { className: "cell done way" }), "shortest way from the first token to the last output"));
    this.root.replaceChildren(bar, make("div", { className: "bodies" }, ...this.bodies.map((each) => each.box)), key);
    this.root.onkeydown = (event) => this.key(event);
  }

  body(body) {
    const { n } = this.plan;
    const way = new Set(body.way.map(String));
    const grid = make("div", { className: "grid" });
    grid.style.setProperty("--n", n);
    grid.setAttribute("role", "img");
    const cells = [];
    for (let layer = body.steps.length - 1; layer >= 0; layer -= 1) {
      grid.append(make("span", { className: "name", textContent: layer ? `layer ${layer - 1}` : "tokens" }));
      for (let at = 0; at < n; at += 1) {
        const cell = make("i", { className: layer ? "cell" : "cell token" });
        cell.dataset.place = `${layer},${at}`;
        cell.title = layer ? `layer ${layer - 1}, position ${at}: step ${body.steps[layer][at]}` : `token ${at}`;
        cell.classList.toggle("way", way.has(cell.dataset.place));
        cells.push({ cell, layer, step: body.steps[layer][at] });
        grid.append(cell);
      }
    }
    grid.onpointerover = (event) => {
      const [layer, at] = (event.target.dataset?.place ?? "").split(",").map(Number);
      const reads = new Set((body.reads[layer]?.[at] ?? []).map(String));
      for (const { cell } of cells) cell.classList.toggle("read", reads.has(cell.dataset.place));
    };
    grid.onpointerleave = () => cells.forEach(({ cell }) => cell.classList.remove("read"));
    const state = make("span", { className: "state" });
    const title = make("p", { className: "title" }, make("b", { textContent: body.name }), " ", state);
    return { body, grid, cells, state, box: make("section", {}, title, grid) };
  }

  go(tick) {
    this.tick = Math.max(0, Math.min(this.plan.end, tick));
    for (const { body, grid, cells, state } of this.bodies) {
      let done = 0;
      const all = cells.filter(({ layer }) => layer).length;
      for (const { cell, layer, step } of cells) {
        cell.classList.toggle("done", step < this.tick || (step === this.tick && !layer) || !layer);
        cell.classList.toggle("now", layer > 0 && step === this.tick);
        done += layer > 0 && step <= this.tick;
      }
      const ended = this.tick >= body.last;
      state.textContent = ended ? `finished after ${body.last} ${body.last === 1 ? "step" : "steps"}` : `${done} of ${all} vectors`;
      state.classList.toggle("ended", ended);
      const ways = body.way.length ? ` The way from the first token takes ${body.way.length - 1} steps.` : " The first token does not reach the last output.";
      grid.setAttribute("aria-label", `${body.name}: ${done} of ${all} vectors after step ${this.tick}.${ways}`);
    }
    this.clock.value = this.tick;
    this.said.textContent = `step ${this.tick} of ${this.plan.end}`;
    this.back.disabled = this.tick === 0;
    this.next.disabled = this.tick === this.plan.end;
    this.root.dataset.tick = this.tick;
  }

  move(tick) {
    this.stop();
    this.go(tick);
    this.tell(this.tick);
  }

  toggle() {
    if (this.timer) { this.stop(); this.tell(this.tick); return; }
    if (this.tick === this.plan.end) this.go(0);
    this.playing.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.tick + 1);
      if (this.tick === this.plan.end) { this.stop(); this.tell(this.tick); }
    }, PACE);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.playing.textContent = "Play";
  }

  key(event) {
    if (event.target === this.clock) return; // a slider has keys of its own
    const to = { ArrowRight: this.tick + 1, ArrowLeft: this.tick - 1, Home: 0, End: this.plan.end }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(to);
  }
}

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function button(textContent, onclick) {
  return make("button", { type: "button", textContent, onclick });
}
