/** How many messages one input may hold. */
const mostMessages = 12;

/** An input that holds a sequence of messages: each behind two bytes with its length. */
export function framed(messages: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    messages.flatMap((message) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      return [length, message];
    }),
  );
}

/** The messages of an input. Every input has some: a length beyond the end means the rest. */
export function messagesIn(input: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 2 <= input.length && messages.length < mostMessages; ) {
    const end = at + 2 + input.readUInt16BE(at);
    messages.push(input.subarray(at + 2, end));
    at = end;
  }
  return messages;
}
