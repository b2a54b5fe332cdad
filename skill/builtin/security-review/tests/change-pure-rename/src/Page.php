<?php

class Page
{
    public function title(): void
    {
        echo "<h1>" . $_GET['title'] . "</h1>";
    }
}
