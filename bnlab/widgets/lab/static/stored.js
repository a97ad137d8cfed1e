// Extension of JupyterLab and Notebook 7: an output with a widget whose model is gone shows its stored HTML instead of
// "Error displaying widget". It is small enough to be written as a federated module by hand; there is no build.
(() => {
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const HTML = "text/html";

  // A renderer of widgets that falls back on what is stored beside the widget.
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

  // Each notebook has its own registry of renderers. The widgets' manager adds one before this or later.
  const watch = (rendermime) => {
    const add = rendermime.addFactory.bind(rendermime);
    rendermime.addFactory = (factory, rank) => {
      if (!factory.mimeTypes.includes(WIDGET)) return add(factory, rank);
      return add({ ...factory, createRenderer: (options) => withStored(factory.createRenderer(options), rendermime) }, rank);
    };
    const present = rendermime.getFactory(WIDGET);
    if (!present) return;
    rendermime.removeMimeType(WIDGET);
    rendermime.addFactory(present, -10);
  };

  const plugin = {
    id: "bnlab:stored",
    description: "Shows the stored picture of a widget whose kernel is gone.",
    autoStart: true,
    activate: (app) => {
      app.docRegistry.addWidgetExtension("Notebook", { createNew: (panel) => watch(panel.content.rendermime) });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB.bnlab = { init: async () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
