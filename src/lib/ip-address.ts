/** Pure functions of Node's `net`: the only thing of it that code without I/O may use. */
export { isIPv4 as isIpv4, isIPv6 as isIpv6 } from "node:net";
