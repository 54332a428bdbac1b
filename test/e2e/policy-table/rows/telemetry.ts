import type { Area } from "../row.ts";

export const telemetry: Area = { groups: [] };
