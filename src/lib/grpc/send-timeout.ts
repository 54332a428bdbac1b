/** The reason why a stream broke: for this long its peer read nothing. */
export class SendTimeout extends Error {
  override readonly name = "SendTimeout";

  constructor(timeoutMs: number) {
    super(`nothing of what was sent was read for ${timeoutMs} ms`);
  }
}
