// Asks for a run of the page when it turns light or dark: charts are drawn on the server, in the colours of one theme.

const EVERY = 300; // milliseconds; no event tells of a theme chosen in the page's own menu

export default function watch({ parentElement, setTriggerValue }) {
  const host = parentElement.host ?? parentElement;
  const scheme = () => getComputedStyle(host).colorScheme;
  let last = scheme();
  const timer = setInterval(() => {
    const now = scheme();
    if (now === last) return;
    last = now;
    setTriggerValue("turned", now);
  }, EVERY);
  return () => clearInterval(timer);
}
