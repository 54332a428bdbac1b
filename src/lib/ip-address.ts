/** The pure parts of Node's `net`. Code without I/O may import nothing else from it. */
export { BlockList, isIPv4 as isIpv4, isIPv6 as isIpv6 } from "node:net";
