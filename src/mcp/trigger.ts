/**
 * The collection of the first message to a dialled sink (OUT-2). Some stacks hide a stream from a server until the
 * client has sent something. No sink has this collection, so each rejects it. That answer is expected and not reported.
 */
export const triggerCollection = "$triggerCollection";
