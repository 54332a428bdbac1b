import { render } from "preact";
import { App } from "./app/app.tsx";
import { watchErrors } from "./app/page-problem.tsx";
import { applyTheme, storedTheme } from "./app/theme.ts";

watchErrors();
applyTheme(storedTheme());
const place = document.getElementById("desk");
if (place !== null) render(<App />, place);
