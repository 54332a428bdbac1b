import { describe, expect, test } from "vitest";
import { facts, html, table } from "./html.ts";

const hostile = `<script>alert("x")</script>'&`;
const harmless = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;";

describe("html", () => {
  test("keeps text as text, in content and in attributes", () => {
    expect(html`<a title="${hostile}">${hostile}</a>`.markup).toBe(`<a title="${harmless}">${harmless}</a>`);
  });

  test("takes numbers, booleans, its own markup, and lists of it", () => {
    const items = [1, 2].map((each) => html`<li>${each}</li>`);
    expect(html`<ul>${items}</ul>${true}`.markup).toBe("<ul><li>1</li>\n<li>2</li></ul>true");
  });

  test("leaves the template's own text unchanged", () => {
    expect(html`<p>a &amp; b</p>`.markup).toBe("<p>a &amp; b</p>");
  });
});

test("a table names its columns and rows, and escapes all of them", () => {
  const { markup } = table([hostile], [[hostile, hostile]]);
  expect(markup).toContain(`<th scope="col">${harmless}</th>`);
  expect(markup).toContain(`<th scope="row">${harmless}</th><td>${harmless}</td>`);
  expect(facts({ a: 1 }).markup).toContain('<th scope="row">a</th><td>1</td>');
});
