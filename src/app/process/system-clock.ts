export { systemClock } from "../../transport/system-clock.ts";
