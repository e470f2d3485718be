import { render } from "preact";
import { App } from "./app";
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/controls.css";

render(<App />, document.getElementById("app")!);
