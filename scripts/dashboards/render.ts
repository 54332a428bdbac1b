import type { Board, Panel, Query, Row } from "./board.ts";

/** Grafana's grid has 24 columns. */
const columns = 24;
const graph = { w: 8, h: 7 };
const number = { w: 3, h: 4 };
const source = { type: "prometheus", uid: "${datasource}" };

/** A dashboard in Grafana's format, as the text of its file. */
export function renderBoard({ uid, title, about, rows }: Board): string {
  const board = {
    uid,
    title,
    description: about,
    tags: ["binnacle"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    timezone: "browser",
    links: [{ type: "dashboards", title: "Binnacle", tags: ["binnacle"], asDropdown: true, includeVars: true }],
    templating: { list: [sourceVariable, instanceVariable] },
    panels: renderRows(rows),
  };
  return `${JSON.stringify(board, undefined, 2)}\n`;
}

/** The queries as Prometheus gets them, with these values for Grafana's variables. */
export function queriesOf({ rows }: Board, values: { readonly instance: string; readonly interval: string }) {
  const filled = (expr: string) =>
    expr.replaceAll("$instance", values.instance).replaceAll("$__rate_interval", values.interval);
  const panels = rows.flatMap((row) => row.panels);
  return panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ title, expr: filled(selected(expr)) })));
}

const sourceVariable = { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" };
const instanceVariable = {
  name: "instance",
  label: "Server",
  type: "query",
  datasource: source,
  query: "label_values(istio_build, instance)",
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: { text: "All", value: "$__all" },
};

function selected(expr: string): string {
  return expr.replaceAll("{$", '{instance=~"$instance"');
}

function renderRows(rows: readonly Row[]): readonly object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    for (const panel of inRow) {
      const { w, h } = sizeOf(panel);
      if (x + w > columns) [x, y] = [0, y + h];
      panels.push(renderPanel(panel, panels.length + 1, { x, y, w, h }));
      x += w;
    }
    y += Math.max(...inRow.map((panel) => sizeOf(panel).h));
  }
  return panels;
}

function sizeOf({ stat }: Panel) {
  return stat === undefined ? graph : number;
}

function renderPanel({ title, about, unit = "short", stat, queries }: Panel, id: number, gridPos: object): object {
  const common = { id, title, description: about, gridPos, datasource: source, targets: queries.map(renderQuery) };
  if (stat === undefined) {
    return {
      ...common,
      type: "timeseries",
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never" } }, overrides: [] },
      options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    };
  }
  const red = stat.redFrom === undefined ? [] : [{ color: "red", value: stat.redFrom }];
  return {
    ...common,
    type: "stat",
    fieldConfig: {
      defaults: { unit, thresholds: { mode: "absolute", steps: [{ color: "green", value: null }, ...red] } },
      overrides: [],
    },
    options: { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "value", graphMode: "area" },
  };
}

function renderQuery({ expr, legend }: Query, index: number): object {
  const refId = String.fromCharCode("A".charCodeAt(0) + index);
  return { refId, datasource: source, expr: selected(expr), legendFormat: legend ?? "__auto", range: true };
}
