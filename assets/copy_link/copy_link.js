// "Copy link": the address bar's link on the clipboard. Without a secure context (a class on http) the link is shown, selected.

export default function copyLink({ parentElement }) {
  const button = parentElement.querySelector("button");
  const field = parentElement.querySelector("input");
  const said = parentElement.querySelector("[role=status]");
  const rest = button.textContent;
  let timer = 0;

  const done = (words) => {
    said.textContent = words;
    button.textContent = words;
    clearTimeout(timer);
    timer = setTimeout(() => { button.textContent = rest; said.textContent = ""; }, 1600);
  };

  button.onclick = async () => {
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      done("Link copied");
    } catch {
      field.hidden = false;
      field.value = link;
      field.focus();
      field.select();
      done(document.execCommand("copy") ? "Link copied" : "Copy it from here");
    }
  };
  return () => clearTimeout(timer);
}
