// Elements of a page. A part of the modules of most widgets.

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// Typing belongs to the field: the notebook is not to see its keys.
function keepKeys(...fields) {
  for (const field of fields) field.addEventListener("keydown", (event) => event.stopPropagation());
}
