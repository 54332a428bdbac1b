import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";
import { Changes } from "../screens/changes/changes.tsx";
import { Configuration } from "../screens/configuration/configuration.tsx";
import { ControlPlane } from "../screens/control-plane/control-plane.tsx";
import { Explain } from "../screens/explain/explain.tsx";
import { History } from "../screens/history/history.tsx";
import { Mesh } from "../screens/mesh/mesh.tsx";
import { Overview } from "../screens/overview/overview.tsx";
import { Proxies } from "../screens/proxies/proxies.tsx";
import type { ViewProps } from "./view.ts";

export interface ScreenEntry {
  /** The first segment of its addresses. */
  readonly segment: string;
  readonly title: string;
  readonly icon: IconName;
  /** The screen is shown if the server has this endpoint. */
  readonly endpoint: string;
  readonly View: ComponentType<ViewProps>;
}

/** All screens, in the order of the navigation. */
export const screens: readonly ScreenEntry[] = [
  { segment: "", title: "Overview", icon: "overview", endpoint: "/overview", View: Overview },
  { segment: "changes", title: "Changes", icon: "changes", endpoint: "/changes", View: Changes },
  { segment: "history", title: "History", icon: "wait", endpoint: "/history", View: History },
  { segment: "proxies", title: "Proxies", icon: "proxies", endpoint: "/proxies", View: Proxies },
  {
    segment: "configuration",
    title: "Configuration",
    icon: "configuration",
    endpoint: "/configuration",
    View: Configuration,
  },
  { segment: "explain", title: "Explain", icon: "explain", endpoint: "/explain", View: Explain },
  { segment: "mesh", title: "Mesh", icon: "mesh", endpoint: "/mesh", View: Mesh },
  { segment: "control-plane", title: "Control plane", icon: "control", endpoint: "/control-plane", View: ControlPlane },
];
