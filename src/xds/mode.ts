/** The xDS protocol variant of a stream: `sotw` sends the state of the world, `delta` sends the difference. */
export type Mode = "sotw" | "delta";
