/** One block of PEM. */
interface PemBlock {
  /** As in `-----BEGIN CERTIFICATE-----`. */
  readonly label: string;
  readonly der: Uint8Array;
}

const block = /-----BEGIN (?<label>[^-\n]+)-----[^\S\n]*\n(?<body>[^-]*)\n-----END \k<label>-----/gu;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/**
 * The blocks of a text, in order. Undefined for a text that BoringSSL refuses: it has an unfinished block, or a block
 * with an empty line or without base64. Text between the blocks does not matter.
 */
export function pemBlocks(text: string): readonly PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  for (const { groups } of text.matchAll(block)) {
    const { label = "", body = "" } = groups ?? {};
    // An empty first line ends a head without fields.
    const lines = body
      .replace(/^[^\S\n]*\n/u, "")
      .split("\n")
      .map((line) => line.trim());
    if (lines.includes("") || !base64.test(lines.join(""))) return undefined;
    blocks.push({ label, der: Buffer.from(lines.join(""), "base64") });
  }
  return text.split("-----BEGIN ").length - 1 === blocks.length ? blocks : undefined;
}
