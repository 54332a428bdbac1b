// Without fonts: those of the system look right, and cost nothing.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
