/** For Node's `--import`: runs the statement for every module that the process loads, with its address as `url`. */
export function onLoad(statement: string): string {
  const code = `
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    ${statement}
    return next(url, context);
  },
});`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
