// The script of a saved page, which has its modules as text; see graph/saved.py.
const content = JSON.parse(document.querySelector("#content").textContent);
const loader = URL.createObjectURL(new Blob([content.loader], { type: "text/javascript" }));
const { default: widget } = await import(loader);
await widget.render({ model: { get: (name) => content[name] }, el: document.querySelector("main") });
