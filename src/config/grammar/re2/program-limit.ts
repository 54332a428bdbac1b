/** The largest program that Istio's bootstrap and ours allow in Envoy. RE2 itself gives up at about 87 000. */
export const maxProgramSize = 32_768;
