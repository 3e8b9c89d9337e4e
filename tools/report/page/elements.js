// Elements of the page. Texts come out of stores that anybody may have written, so they go in as text and never as HTML.
"use strict";

const byId = (id) => document.getElementById(id);

// element("td", "number", "3.14") or element("div", "tile", child, child)
function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.filter((c) => c !== null && c !== undefined));
  return made;
}

function headRow(names) {
  const row = element("tr", "");
  for (const [name, className] of names) {
    const cell = element("th", className, name);
    cell.scope = "col";
    row.append(cell);
  }
  return element("thead", "", row);
}

function copyable(container, text) {
  const shown = element("pre", "", text);
  const button = element("button", "", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    } catch {
      getSelection().selectAllChildren(shown);  // where a page may not write to the clipboard
    }
  });
  container.replaceChildren(shown, button);
}

// Of a part that no figures were measured for.
const emptyNote = (text) => element("p", "empty", text);

function swatch(colour) {
  const made = element("span", "swatch");
  made.style.background = colour;
  return made;
}
