// Extension of JupyterLab and Notebook 7: an output with a widget whose model is gone shows its stored HTML instead of
// "Error displaying widget", and figures and pictures of bnlab are dark in a dark theme. It is small enough to be written
// as a federated module by hand; there is no build.
(() => {
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const PLOTLY = "application/vnd.plotly.v1+json";
  const HTML = "text/html";
  const INK = "#16202c"; // text of the figures, as in bnlab/figures/theme.py
  // The inversion keeps the hues; the attributes are those of bnlab/figures/picture.py.
  const DARK = `
    [data-jp-theme-light="false"] :is(
      .bnlab-figure,
      .jp-RenderedHTML img[src^="data:image/svg+xml;base64,"][style="max-width: 100%; height: auto"]
    ) { filter: invert(0.88) hue-rotate(180deg); }`;

  // A renderer of widgets that falls back to the output stored beside the widget.
  const withStored = (renderer, rendermime) => {
    const render = renderer.renderModel.bind(renderer);
    renderer.renderModel = async (model) => {
      await render(model);
      if (!model.data[HTML] || !renderer.node.textContent.startsWith("Error displaying widget")) return;
      const stored = rendermime.createRenderer(HTML);
      await stored.renderModel(model);
      renderer.node.replaceChildren(stored.node);
    };
    return renderer;
  };

  // A renderer of plotly figures that marks those of bnlab.
  const withTheme = (renderer) => {
    const render = renderer.renderModel.bind(renderer);
    renderer.renderModel = (model) => {
      const isOwn = model.data[PLOTLY]?.layout?.template?.layout?.font?.color === INK;
      renderer.node.classList.toggle("bnlab-figure", isOwn);
      return render(model);
    };
    return renderer;
  };

  // Function that changes a renderer, and its rank: a live widget comes before the figure stored beside it.
  const CHANGES = new Map([
    [WIDGET, { change: withStored, rank: -10 }],
    [PLOTLY, { change: withTheme, rank: 0 }],
  ]);

  // Each notebook has its own registry of renderers. The widget manager adds one before or after this code runs.
  const watch = (rendermime) => {
    const add = rendermime.addFactory.bind(rendermime);
    rendermime.addFactory = (factory, rank) => {
      const known = CHANGES.get(factory.mimeTypes.find((type) => CHANGES.has(type)));
      if (!known) return add(factory, rank);
      const { change } = known;
      return add({ ...factory, createRenderer: (options) => change(factory.createRenderer(options), rendermime) }, rank);
    };
    for (const [type, { rank }] of CHANGES) {
      const present = rendermime.getFactory(type);
      if (!present) continue;
      rendermime.removeMimeType(type);
      rendermime.addFactory(present, rank);
    }
  };

  const plugin = {
    id: "bnlab:stored",
    description: "Shows the stored picture of a widget whose kernel is gone, and figures in the colours of a dark theme.",
    autoStart: true,
    activate: (app) => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: DARK }));
      app.docRegistry.addWidgetExtension("Notebook", { createNew: (panel) => watch(panel.content.rendermime) });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB.bnlab = { init: async () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
