/**
 * Every reason to send a response in which nothing is new to the client. The protocol or Envoy's warming requires each
 * of them. A response without changes and without one of these reasons is a bug. The names are label values of the
 * metric that counts them.
 */
export const repetitions = {
  first_answer: "the first answer to a type leaves even when the client holds everything or there is nothing: it waits",
  subscribed_again: "delta: a name was subscribed to that was subscribed to before",
  left_but_wildcard: "delta: a name was left while all are subscribed to, and the client dropped it",
  wildcard_added: "all were asked for beside names that were sent before",
  asked_anew: "SotW: a request without a nonce begins from the beginning",
  repeated_request: "SotW: the same names under an acknowledged nonce; Envoy is warming and wants them again",
  clusters_sent: "clusters were sent, and Envoy warms them until their endpoints arrive after that",
  routes_sent: "a route configuration was sent, and Envoy takes its virtual hosts only if they arrive after it",
  rejected_together: "it was in a rejected answer together with others, and goes again with fewer of them",
  clusters_overdue: "clusters were not acknowledged in time; perhaps Envoy still waits for their endpoints",
} as const;

export type Repetition = keyof typeof repetitions;
