// A chart alone; see base/plotly_view.py.
import { chartView } from "./plotly_chart.js";

export default ({ model, el }) => chartView({ model, el });
