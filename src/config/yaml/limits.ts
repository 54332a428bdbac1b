/**
 * The limits of one YAML document, in one place. Within them the work of reading grows with the length of the text, not
 * with its square: `test/e2e/yaml-work.test.ts` counts steps. `docs/reference/sources.md` lists them for users.
 */

/** Characters of one document. No object in Kubernetes is larger: etcd takes 1.5 MiB. */
export const maxDocumentLength = 4 * 1024 * 1024;

/** Levels of lists and mappings. Each costs stack while a value is read; Istio's deepest kinds have about 20. */
export const maxNesting = 200;

/** Anchors and tags in a row. A value has one of each, and a mapping and its first key share the row. */
export const maxProperties = 8;

/** Characters of a directive such as `%TAG`: its text is repeated for every tag that uses it. */
export const maxDirectiveLength = 256;

/** Values that aliases may add to a document: far more than people write, far less than a bomb needs. */
export const maxAddedValues = 100_000;

/** Mistakes of each sort that are looked at. Later ones are mostly echoes of the first. */
export const maxMistakes = 20;

/** Issues of one object. One more says how many were left out. */
export const maxIssuesOfObject = 100;

/** Issues of one file. One more says how many were left out. */
export const maxIssuesOfFile = 1000;

/** Characters of a message that quotes the text of a document. */
export const maxMessageLength = 200;
