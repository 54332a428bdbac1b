/** The flags that users gave to Node, for V8 too. */
export function nodeFlags(): readonly string[] {
  return [...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/u), ...process.execArgv];
}
