/**
 * The script of a page that makes its links relative when a browser opens it from a folder, without a server. Browsers
 * load no modules there: the page has no search then, and the theme of the system.
 */
export function openFromFolder(page: string): string {
  const up = "../".repeat(page.split("/").length - 1) || "./";
  return `if (location.protocol === "file:") addEventListener("DOMContentLoaded", () => {
  for (const name of ["href", "src"]) for (const element of document.querySelectorAll("[" + name + "^='/']"))
    element.setAttribute(name, "${up}" + (element.getAttribute(name).slice(1) || "index.html"));
  document.documentElement.classList.add("from-folder");
});`;
}
