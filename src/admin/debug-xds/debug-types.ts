/** What is asked over xDS about the server itself. These are names, and no URLs of messages. */
export const debugType = "istio.io/debug";
export const debugSyncType = `${debugType}/syncz`;
export const debugDumpType = `${debugType}/config_dump`;

export function isDebugType(typeUrl: string): boolean {
  return typeUrl === debugType || typeUrl.startsWith(`${debugType}/`);
}
