import fc from "fast-check";

/** Stands for a byte that is not UTF-8. */
const badByte = "\uE000";

/** The last name extends the first one: a truncated name may be another object's. */
const names = ["reviews", "ratings", "details", "cart", "mail", "web", "api", "reviews-v2"];

function rule(name: string, revision: number): string {
  return `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata:
  name: ${name}
  namespace: shop
spec:
  host: r${revision}.shop
  exportTo: ["*"]
`;
}

/** Typical mistakes in a good document. In a file, each happens to the first document where it can. */
const mistakes: readonly ((text: string) => string)[] = [
  (text) => text.replace("exportTo", "exprotTo"),
  (text) => text.replace("kind: DestinationRule", "kind: DestinatoinRule"),
  (text) => text.replace("kind: DestinationRule\n", ""),
  (text) => text.replace(/ {2}name: .*\n/u, ""),
  (text) => text.replace(/name: (\S+)\n/u, "name: $1_\n"),
  (text) => text.replace(/spec:\n( {2}.*\n)*/u, ""),
  (text) => text.replace(/spec:\n( {2}.*\n)*/u, "spec:\n"),
  (text) => text.replace("---\n", ""),
  (text) => text.replace("host: ", 'host: "'),
  (text) => text.replace("namespace: shop", "namespace: 'shop"),
  (text) => text.replace("  host", "\thost"),
  (text) => text.replace("  host", "  host: a\n  host"),
  (text) => text.replace(".shop", `.sh${badByte}p`),
  (text) => text.replace('["*"]', "*everyone"),
  (text) => `- a list\n---\n${text}`,
];

const goodDocument = fc.tuple(fc.constantFrom(...names), fc.nat(3)).map(([name, revision]) => rule(name, revision));
const badDocument = fc.tuple(goodDocument, fc.constantFrom(...mistakes)).map(([text, spoil]) => spoil(text));
const list = fc.array(fc.oneof(goodDocument, badDocument), { maxLength: 3 }).map((items) => {
  const dashed = items.map((item) => `- ${item.trimEnd().replaceAll("\n", "\n  ")}\n`);
  return `apiVersion: v1\nkind: List\nitems:${items.length === 0 ? " []" : ""}\n${dashed.join("")}`;
});
const foreign = fc.constantFrom(
  "# nothing\n",
  "apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: reviews }\nspec: |\n  a\n  ---\n  b\n",
);

const document = fc.oneof(
  { weight: 6, arbitrary: goodDocument },
  { weight: 4, arbitrary: badDocument },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: foreign },
);

const separator = fc.constantFrom("---\n", "--- # text\n", "---   \n", "...\n---\n", "...\n# text\n%YAML 1.1\n---\n");
const encoding = fc.constantFrom(
  (text: string) => text,
  (text: string) => text,
  (text: string) => text.replaceAll("\n", "\r\n"),
  (text: string) => `\uFEFF${text}`,
);

/** The bytes of a file: some documents, good and bad, as people and their editors write them. */
export const fileBytes: fc.Arbitrary<Buffer> = fc
  .record({ documents: fc.array(document, { maxLength: 4 }), separator, encode: encoding })
  .map(({ documents, separator: between, encode }) => bytesOf(encode(documents.join(between))));

/** Damages a file that may have been good. */
export const mistake: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .constantFrom(...mistakes)
  .map((spoil) => (bytes) => bytesOf(spoil(bytes.toString())));

/** The same without a mistake. */
export const goodBytes: fc.Arbitrary<Buffer> = fc
  .array(goodDocument, { maxLength: 3 })
  .map((documents) => bytesOf(documents.join("---\n")));

function bytesOf(text: string): Buffer {
  const [first = "", ...more] = text.split(badByte);
  return Buffer.concat([Buffer.from(first), ...more.flatMap((part) => [Buffer.of(0xfc), Buffer.from(part)])]);
}
