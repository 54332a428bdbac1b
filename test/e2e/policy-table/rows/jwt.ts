import type { Area } from "../row.ts";

export const jwt: Area = { groups: [] };
