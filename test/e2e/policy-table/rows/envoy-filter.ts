import type { Area } from "../row.ts";

export const envoyFilter: Area = { groups: [] };
