/**
 * The collection of the first message to a sink that was dialled (OUT-2): some stacks do not show a stream to a server
 * before it has sent. No sink has it, and each says so; that answer is expected, and nobody need hear of it.
 */
export const triggerCollection = "$triggerCollection";
