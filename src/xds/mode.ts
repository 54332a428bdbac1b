/** Which of xDS's two protocols a stream speaks: the state of the world in every response, or what differs. */
export type Mode = "sotw" | "delta";
