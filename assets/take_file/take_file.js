// A button that takes a file away. The server makes it when its address is asked for; a HEAD says first whether it is there.

const REST = 4000; // ms that a refusal stands in the button

export default function takeFile({ parentElement, data }) {
  const button = parentElement.querySelector("button");
  const words = button.querySelector("span");
  const said = parentElement.querySelector("[role=status]");
  button.disabled = !data.address;
  button.title = data.about;
  if (!button.dataset.refused) words.textContent = data.label;
  button.setAttribute("aria-description", data.about);

  const refuse = (why) => {
    words.textContent = why;
    said.textContent = why;
    button.dataset.refused = "true";
    setTimeout(() => {
      delete button.dataset.refused;
      words.textContent = data.label;
      said.textContent = "";
    }, REST);
  };

  button.onclick = async () => {
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    try {
      const there = await fetch(data.address, { method: "HEAD" });
      if (!there.ok) return refuse("Gone: reload the page");
      const link = document.createElement("a");
      link.href = data.address;
      link.download = data.file;
      link.click();
    } catch {
      refuse("No answer from the server");
    } finally {
      button.ariaBusy = "false";
    }
  };
}
