/**
 * The folders that a server is made of. Two servers in one process share nothing but their code, and memoized builders
 * read nothing but their keys and constants.
 */
export const serverFolders: readonly string[] = [
  "lib/",
  "collection/",
  "config/",
  "galley/",
  "mcp/",
  "pilot/",
  "xds/",
  "explain/",
  "provenance/",
  "plan/",
  "history/",
];
