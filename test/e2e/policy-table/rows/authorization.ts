import type { Area } from "../row.ts";

export const authorization: Area = { groups: [] };
