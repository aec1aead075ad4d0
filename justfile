# Short names for the commands of this repository, and nothing else: each can be typed instead.

# As scripts/common.sh has it, so that nothing is built twice.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", env("XDG_CACHE_HOME", env("HOME") / ".cache") / "yunlab/target")

[private]
default:
    @just --list --unsorted

# 开发用的实验室：调试版的平台、随改随看的网页（--fresh 重新建立）
dev *options:
    ./run --dev {{ options }}

# 全部检查，除了时间长的
test *options:
    ./test {{ options }}

# 写代码时的检查
fast:
    ./test --fast

# 只跑这些步骤，如 just only portal,web-unit
only steps:
    ./test --only {{ steps }}

# 整理格式
fmt:
    cargo fmt --all
    npm --prefix web run --silent format

# 格式、规则与类型
lint:
    ./test --only format,clippy,web-lint,web-types

# 由代码写出接口文档，再由文档写出网页的类型
types:
    cargo build --quiet --locked --workspace --exclude fuzz --bin yunlab --example dev-lab
    "$CARGO_TARGET_DIR/debug/yunlab" openapi openapi
    npm --prefix web run --silent types

# 提交之前检查格式和提交说明
hooks:
    git config core.hooksPath scripts/hooks

# 画出每个页面，放在 docs/screenshots/；VIEWS=users,netdisk 只画这些
pictures:
    cargo build --quiet --locked --workspace --exclude fuzz --bin yunlab --example dev-lab
    npm --prefix web run screenshots
