//! A real browser, driven through its debugging pipe.
//!
//! Chromium speaks its `DevTools` protocol on two file descriptors, 3 and 4: JSON texts, each with a zero byte behind it.
//! A shell makes them of the pipes that a process has anyway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    next: u64,
    /// What the page has complained of: errors of its script, and what its policy forbids.
    complaints: Vec<String>,
    /// Everything that the page has asked for.
    requests: Vec<String>,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser, if there is one.
    pub(crate) fn start(name: &str) -> Option<Browser> {
        let program = NAMES.into_iter().find(|name| {
            let look = Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            look.is_ok_and(|status| status.success())
        })?;
        let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("chromium-{name}"));
        let mut child = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1")
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let (complaints, requests) = (Vec::new(), Vec::new());
        let mut browser =
            Browser { child, to, from, session: None, next: 0, complaints, requests, profile };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(ToOwned::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol, and returns what it says.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let text = message.to_string() + "\0";
        self.to.write_all(text.as_bytes()).expect("the browser listens");
        loop {
            let answer = self.read();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut text = Vec::new();
        self.from.read_until(0, &mut text).expect("the browser speaks");
        assert_eq!(text.pop(), Some(0), "the browser has ended");
        let message: Value = serde_json::from_slice(&text).expect("the browser speaks JSON");
        let told = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(told["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") => self.complaints.push(told["entry"]["text"].to_string()),
            Some("Network.requestWillBeSent") => {
                self.requests.push(told["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
        message
    }

    /// Opens a file, in a window of this size.
    pub(crate) fn open(&mut self, file: &Path, (width, height): (u32, u32)) {
        let window =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &window);
        let url = format!("file://{}", file.display());
        self.requests.clear();
        self.call("Page.navigate", &json!({ "url": url }));
        while self.evaluate("document.readyState") != "complete" {}
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let wanted =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let found = self.call("Runtime.evaluate", &wanted);
        assert!(found["exceptionDetails"].is_null(), "{expression}: {}", found["exceptionDetails"]);
        found["result"]["value"].clone()
    }

    /// The text of the first element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let found = self.evaluate(&format!("document.querySelector({selector})?.textContent"));
        found.as_str().unwrap_or_else(|| panic!("{selector} is not in the page")).to_owned()
    }

    /// The texts of all elements that a selector finds.
    pub(crate) fn texts(&mut self, selector: &str) -> Vec<String> {
        let selector = json!(selector);
        let found = self.evaluate(&format!(
            "[...document.querySelectorAll({selector})].map((one) => one.textContent)"
        ));
        let texts = found.as_array().expect("a list").iter();
        texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
    }

    /// Clicks with the mouse into the middle of what a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(() => {{ const one = document.querySelector({}); one.scrollIntoView({{ block: 'center' }}); \
             const {{ left, top, width, height }} = one.getBoundingClientRect(); \
             return [left + width / 2, top + height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Presses and releases a key, such as `ArrowRight`.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// Writes text where the cursor is.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Pretends that the user likes light or dark pages.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
    }

    /// A picture of the whole page, to look at.
    pub(crate) fn screenshot(&mut self, file: &Path) {
        self.picture(file, true);
    }

    /// A picture of what is in sight.
    pub(crate) fn screenshot_of_window(&mut self, file: &Path) {
        self.picture(file, false);
    }

    fn picture(&mut self, file: &Path, is_whole: bool) {
        let size = self.call("Page.getLayoutMetrics", &json!({}));
        let size = &size["cssContentSize"];
        let mut wanted = json!({ "format": "png" });
        if is_whole {
            let (width, height) = (&size["width"], &size["height"]);
            let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
            wanted["clip"] = clip;
            wanted["captureBeyondViewport"] = json!(true);
        }
        let picture = self.call("Page.captureScreenshot", &wanted);
        let picture =
            STANDARD.decode(picture["data"].as_str().expect("a picture")).expect("base64");
        std::fs::write(file, &picture).expect("room for a picture");
    }

    /// What the page has complained of so far.
    pub(crate) fn complaints(&mut self) -> &[String] {
        // Whatever was said before this answer has been heard now.
        self.evaluate("0");
        &self.complaints
    }

    /// Everything that the page has asked for since it was opened.
    pub(crate) fn requests(&mut self) -> &[String] {
        self.evaluate("0");
        &self.requests
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
