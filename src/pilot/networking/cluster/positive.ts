/** Undefined for 0, which means unset in Istio's kinds. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
