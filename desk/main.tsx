import { render } from "preact";
import { App } from "./app/app.tsx";
import { applyTheme, storedTheme } from "./app/theme.ts";

applyTheme(storedTheme());
const place = document.getElementById("desk");
if (place !== null) render(<App />, place);
