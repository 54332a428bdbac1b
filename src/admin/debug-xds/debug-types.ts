/** The types of debug requests over xDS. They are plain names, not type URLs of messages. */
export const debugType = "istio.io/debug";
export const debugSyncType = `${debugType}/syncz`;
export const debugDumpType = `${debugType}/config_dump`;

export function isDebugType(typeUrl: string): boolean {
  return typeUrl === debugType || typeUrl.startsWith(`${debugType}/`);
}
