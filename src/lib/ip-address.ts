/** What is pure of Node's `net`: the only things of it that code without I/O may use. */
export { BlockList, isIPv4 as isIpv4, isIPv6 as isIpv6 } from "node:net";
