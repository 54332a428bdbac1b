/** How often a minimization tries an input at most. */
const mostTries = 4000;

/**
 * A shorter input for which `fails` still holds, in the manner of delta debugging: leaves out ever smaller pieces, then
 * replaces bytes by plain ones.
 */
export async function minimize(input: Buffer, fails: (shorter: Buffer) => Promise<boolean>): Promise<Buffer> {
  let kept = input;
  let tries = 0;
  const keepIf = async (candidate: Buffer): Promise<boolean> => {
    if (candidate.equals(kept) || tries++ >= mostTries || !(await fails(candidate))) return false;
    kept = candidate;
    return true;
  };
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const without = Buffer.concat([kept.subarray(0, at), kept.subarray(at + size)]);
      if (!(await keepIf(without))) at += size;
    }
  }
  for (let at = 0; at < kept.length; at++) {
    const plain = Buffer.from(kept);
    plain[at] = 0x61;
    await keepIf(plain);
  }
  return kept;
}
