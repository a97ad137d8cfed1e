// Written by tools/page_types.py from bnlab.widgets.scores.score_panel.ScorePanel.
export type Page = {
  sliders: { name: string; label: string; tip: string; value: number; min: number; max: number; step: number; log: boolean; enabled: boolean; }[];
  lists: { name: string; label: string; tip: string; value: string | null; options: [string | null, string][]; }[];
  networks: { name: string; label: string; tip: string; picture: string; value: boolean; }[];
  optimum: { label: string; tip: string; enabled: boolean; };
  search: string | null;
  distance: string;
  status: string;
  sentence: string;
  tables: string;
  ess: { figure: Record<string, any>; description: string; };
  scores: { figure: Record<string, any>; description: string; };
  nodes: { figure: Record<string, any>; description: string; };
  rows: { figure: Record<string, any>; description: string; };
};
export type Message =
  | { type: "Set"; name: string; value: any; }
  | { type: "Show"; network: string; shown: boolean; }
  | { type: "Click"; chart: "ess" | "scores" | "nodes" | "rows"; index: number | null; x?: any; }
  | { type: "Point"; index: number | null; }
  | { type: "FindOptimum"; }
  | { type: "StopOptimum"; };
