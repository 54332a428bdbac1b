/** Undefined for 0, by which Istio's kinds say nothing. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
