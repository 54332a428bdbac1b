/** The address below a screen. */
export interface ViewProps {
  /** The segments after the screen's own. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}
