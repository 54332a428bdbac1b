import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";
import { Changes } from "../screens/changes/changes.tsx";
import { Overview } from "../screens/overview/overview.tsx";
import { Proxies } from "../screens/proxies/proxies.tsx";
import type { ViewProps } from "./view.ts";

export interface ScreenEntry {
  /** The first segment of its addresses. */
  readonly segment: string;
  readonly title: string;
  readonly icon: IconName;
  readonly operatorsOnly: boolean;
  readonly View: ComponentType<ViewProps>;
}

/** All screens, in the order of the navigation. */
export const screens: readonly ScreenEntry[] = [
  { segment: "", title: "Overview", icon: "overview", operatorsOnly: false, View: Overview },
  { segment: "changes", title: "Changes", icon: "changes", operatorsOnly: false, View: Changes },
  { segment: "proxies", title: "Proxies", icon: "proxies", operatorsOnly: false, View: Proxies },
];
