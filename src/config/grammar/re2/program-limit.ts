/** The largest program that Istio's bootstrap, and ours, lets an Envoy have; RE2 itself gives up at about 87 000. */
export const maxProgramSize = 32_768;
