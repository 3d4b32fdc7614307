// What a page tells the benchmark: when a picture was first painted, and how long a sentence takes to its picture.
// All clocks run inside the page: no round trip of the driver enters a time.
(() => {
  const everywhere = (selector, root = document) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const node of root.querySelectorAll("*")) {
      const inside = node.shadowRoot && everywhere(selector, node.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  // The next task comes after the frame in whose callbacks we are, so after its paint.
  const nextTask = () => new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));

  // Two ways of seeing an answer. A picture is drawn inside a frame and says so there (data-painted), so it is on the
  // screen when that frame ends; text changes between frames and is on the screen when the next one ends.
  const watchers = {
    picture: () => {
      const root = everywhere(".attention-view[data-painted]"), before = root.dataset.painted;
      return {
        node: root,
        what: { attributes: true, attributeFilter: ["data-painted"] },
        changed: () => root.dataset.painted !== before,
        painted: nextTask,
      };
    },
    text: () => {
      const node = document.querySelector("[data-testid=stMain]");
      const count = () => node.innerText.match(/run (\d+)/)?.[1], before = count();
      return {
        node,
        what: { childList: true, characterData: true, subtree: true },
        changed: () => count() !== before,
        painted: () => nextFrame().then(nextTask),
      };
    },
  };

  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

  // Puts a sentence into the field and commits it with Enter; resolves to milliseconds from Enter to the paint.
  window.sentenceToPaint = async (sentence, kind) => {
    const field = document.querySelector("input[aria-label=Sentence]");
    const watched = watchers[kind]();
    field.focus();
    setValue.call(field, sentence);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await null; // the field takes the text in before Enter comes, well within its own delay of live typing
    return new Promise((done) => {
      let seen = false;
      const observer = new MutationObserver(() => {
        if (seen || !watched.changed()) return;
        seen = true;
        observer.disconnect();
        watched.painted().then(() => done(performance.now() - started));
      });
      observer.observe(watched.node, watched.what);
      const enter = { key: "Enter", code: "Enter", keyCode: 13, bubbles: true };
      const started = performance.now();
      field.dispatchEvent(new KeyboardEvent("keydown", { ...enter, charCode: 0 }));
      field.dispatchEvent(new KeyboardEvent("keypress", { ...enter, charCode: 13 }));
    });
  };

  // Milliseconds since the epoch at which the first match of the selector was on the screen.
  window.firstPaint = (selector, patience) => new Promise((done, fail) => {
    const look = () => {
      if (everywhere(selector)) nextTask().then(() => done(performance.timeOrigin + performance.now()));
      else if (performance.now() > patience) fail(new Error("no picture"));
      else requestAnimationFrame(look);
    };
    look();
  });
})();
