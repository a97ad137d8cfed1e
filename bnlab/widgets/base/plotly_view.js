// A chart alone; see base/plotly_view.py.

export default { render: ({ model, el }) => chartView({ model, el }) };
